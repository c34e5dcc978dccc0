# dev-cli completion for fish
# installed-by: dev-cli
function __dev_cli_complete
    set -l token (commandline -ct)
    set -l words (commandline -opc)
    for line in (dev-cli completion --complete fish -- $words[2..] "$token" 2>/dev/null)
        if string match -q \t'*' -- $line
            set -l begin (string match -r -- '^(?:--[a-z-]+=)?@?' "$token")
            set -l path (string sub -s (math (string length -- "$begin") + 1) -- "$token")
            __fish_complete_path "$path" | string replace -r -- '^' "$begin"
        else
            printf '%s\n' $line
        end
    end
end
complete -c dev-cli -f -a '(__dev_cli_complete)'
