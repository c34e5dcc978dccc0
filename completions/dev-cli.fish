# dev-cli completion for fish
# installed-by: dev-cli
function __dev_cli_complete
    set -l token (commandline -ct)
    # A quote may be open still.
    set -l plain (string unescape -- "$token"; or string sub -s 2 -- "$token")
    set -l words (commandline -opc)
    for line in (dev-cli completion --complete fish -- $words[2..] "$plain" 2>/dev/null)
        if string match -q \t'*' -- $line
            string match -qr '^["\']' -- "$token"; and set token (string escape -n -- "$plain")
            set -l begin (string match -r -- '^(?:--[a-z-]+=)?@?' "$token")
            set -l path (string sub -s (math (string length -- "$begin") + 1) -- "$token")
            complete -C "'' $path" | string replace -r -- '^' "$begin"
        else
            printf '%s\n' $line
        end
    end
end
complete -c dev-cli -f -a '(__dev_cli_complete)'
