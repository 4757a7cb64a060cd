#!/bin/sh
# A GTP engine for Go that misbehaves in the way that $1 says. $2 is a mark by which tests find this
# process, and whatever it starts, in the list of processes.
#
# It plays the first point of a fixed list on which nothing was ever played, and passes after that.

mode=$1
mark=$2
own=0
taken=" "
last=E5

case $mode in
child)
    trap '' TERM HUP INT
    while :; do sleep 1; done
    ;;
crash-at-start)
    echo "fake: the opening book is missing" >&2
    exit 3
    ;;
hang-at-start)
    while :; do sleep 1; done
    ;;
garbage-at-start)
    echo "Welcome to fake Go!"
    ;;
ignores-signals)
    trap '' TERM HUP INT
    ;;
leaves-children)
    sh "$0" child "$mark" &
    # One more that leaves the process group.
    setsid sh "$0" child "$mark" 2>/dev/null &
    ;;
noisy)
    # More error output than a pipe holds.
    i=0
    while [ $i -lt 3000 ]; do
        echo "fake: line $i of a long story that nobody wants to read to its end" >&2
        i=$((i + 1))
    done
    ;;
esac

answer() {
    printf '= %s\n\n' "$1"
}

genmove() {
    own=$((own + 1))
    if [ $own -ge 3 ]; then
        case $mode in
        crash)
            echo "fake: assertion failed in move $own" >&2
            kill -s ABRT $$
            ;;
        quits) exit 0 ;;
        crash-with-child)
            # The child keeps the output open.
            sh "$0" child "$mark" &
            exit 3
            ;;
        hang | hang-and-ignore)
            trap '' TERM HUP INT
            while :; do sleep 1; done
            ;;
        garbage)
            echo "my move is E5"
            echo
            return
            ;;
        nonsense)
            answer "Z99"
            return
            ;;
        refuses)
            printf '? I do not feel like it\n\n'
            return
            ;;
        illegal)
            answer "$last"
            return
            ;;
        endless) yes "= E5" ;;
        endless-line) yes | tr -d '\n' ;;
        endless-blanks) yes "" ;;
        binary) head -c 100000 /dev/urandom ;;
        resigns)
            answer resign
            return
            ;;
        esac
    fi
    for point in C3 D4 E3 C5 E5 D2 B4 A3 E1 A5 C1 B2; do
        case $taken in
        *" $point "*) ;;
        *)
            taken="$taken$point "
            answer "$point"
            return
            ;;
        esac
    done
    answer pass
}

while read -r command argument vertex; do
    case $command in
    list_commands) answer "boardsize
clear_board
komi
play
genmove
quit" ;;
    clear_board)
        own=0
        taken=" "
        answer
        ;;
    play)
        [ "$vertex" = pass ] || last=$vertex
        taken="$taken$vertex "
        answer
        ;;
    genmove) genmove ;;
    quit)
        [ "$mode" = ignores-signals ] && while :; do sleep 1; done
        [ "$mode" = endless-at-quit ] && yes
        answer
        exit 0
        ;;
    *) answer ;;
    esac
done
[ "$mode" = ignores-signals ] && while :; do sleep 1; done
