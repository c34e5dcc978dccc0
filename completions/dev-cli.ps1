# dev-cli completion for PowerShell
# installed-by: dev-cli
Register-ArgumentCompleter -Native -CommandName dev-cli -ScriptBlock {
    param($word, $ast, $position)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
    # An empty argument is lost in older versions: this one stands for it.
    $last = if ($word) { $word } else { '""' }
    & dev-cli completion --complete powershell -- @words $last 2>$null | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        # Without an answer PowerShell completes files.
        if ($value) { [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $(if ($text) { $text } else { $value })) }
    }
}
