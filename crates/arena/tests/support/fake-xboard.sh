#!/bin/sh
# An engine for chess that speaks XBoard's protocol and misbehaves in the way that $1 says. $2 is a mark by which tests find this
# process in the list of processes.
#
# It answers with the moves of the Italian game in turn, whatever was played, from its first move on.

mode=$1
count=0

[ "$mode" = hang-at-start ] && while :; do sleep 1; done

go() {
    count=$((count + 1))
    echo " 7    400      12       1234 e2e4 e7e5"
    if [ $count -ge 2 ]; then
        case $mode in
        until-stop)
            # What else comes meanwhile is not answered.
            while read -r word; do [ "$word" = "?" ] && break; done
            ;;
        crash)
            echo "fake: assertion failed" >&2
            kill -s ABRT $$
            ;;
        hang) while :; do sleep 1; done ;;
        endless) yes "# thinking" ;;
        resign) echo "resign" && return ;;
        resign-by-result*) echo "0-1 {White resigns}" && return ;;
        claim) echo "1/2-1/2 {Draw by boredom}" && return ;;
        san) echo "move Nf3" && return ;;
        illegal) echo "move e1e8" && return ;;
        esac
    fi
    case $count in
    1) echo "move e2e4" ;;
    2) echo "My move is : g1f3" ;;
    *)
        echo "move f1c4"
        # Nobody asks what it thinks of its move, and it is still on the way when the next game begins.
        [ "$mode" = no-ping ] && echo "1-0 {Black is afraid}"
        ;;
    esac
}

while read -r command rest; do
    case $command in
    protover)
        ping=1
        if [ "$mode" = undone ]; then
            echo "feature myname=\"Fake\" setboard=1 usermove=1 ping=1"
            continue
        fi
        echo "feature myname=\"Fake\" setboard=1 usermove=1 san=1 done=0"
        case $mode in *no-ping) ping=0 ;; esac
        echo "feature ping=$ping memory=1 option=\"Skill Level -spin 20 0 20\" done=1"
        ;;
    option) [ "$rest" = "Skill Level=3" ] || echo "unexpected: $rest" >&2 ;;
    new) count=0 ;;
    sd) [ "$mode" = no-depth ] && echo "Error (unknown command): sd $rest" ;;
    # A result that it sees by itself comes behind its move, and is not asked for.
    usermove) [ "$mode" = result ] && echo "1-0 {White mates}" ;;
    ping) echo "pong $rest" ;;
    go) go ;;
    quit) exit 0 ;;
    esac
done
