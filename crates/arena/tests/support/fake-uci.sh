#!/bin/sh
# A UCI engine for chess that misbehaves in the way that $1 says. $2 is a mark by which tests find this
# process in the list of processes.
#
# It answers with the moves of the Italian game in turn, whatever was played, from its first move on.

mode=$1
count=0

[ "$mode" = hang-at-start ] && while :; do sleep 1; done

go() {
    count=$((count + 1))
    echo "info depth 7 score cp 400 nodes 1234 pv e2e4"
    if [ $count -ge 2 ]; then
        case $mode in
        until-stop)
            # What else comes meanwhile is not answered.
            while read -r word; do [ "$word" = stop ] && break; done
            ;;
        crash)
            echo "fake: assertion failed" >&2
            kill -s ABRT $$
            ;;
        hang) while :; do sleep 1; done ;;
        endless) yes "info string thinking" ;;
        no-move) echo "bestmove (none)" && return ;;
        san) echo "bestmove Nf3" && return ;;
        illegal) echo "bestmove e1e8" && return ;;
        esac
    fi
    case $count in
    1) echo "bestmove e2e4" ;;
    2) echo "bestmove g1f3 ponder b8c6" ;;
    *) echo "bestmove f1c4" ;;
    esac
}

while read -r command rest; do
    case $command in
    uci)
        echo "id name Fake"
        echo "option name Hash type spin default 16 min 1 max 1024"
        echo "option name Skill Level type spin default 20 min 0 max 20"
        echo "uciok"
        ;;
    setoption) [ "$rest" = "name Skill Level value 3" ] || echo "unexpected: $rest" >&2 ;;
    ucinewgame) count=0 ;;
    isready) echo "readyok" ;;
    go) go ;;
    quit) exit 0 ;;
    esac
done
