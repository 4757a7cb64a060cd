#!/bin/sh
# Stands in for GNU Backgammon: reads commands until it is told to listen, leaves the port in a file for the test, which
# answers in its place, and stays until it is killed.
#   $1  where the port goes
#   $2  "deaf" ends at once instead
# What it prints is known in English alone.
[ "$LC_ALL" = C ] || { echo "Warte auf eine Verbindung"; exec sleep 600; }
[ "$2" = deaf ] && { echo "no such command" >&2; exit 3; }
while read -r word rest; do
    if [ "$word" = external ]; then
        echo "${rest##*:}" >"$1.new" && mv "$1.new" "$1"
        echo "Waiting for a connection from $rest..."
        break
    fi
done
exec sleep 600
