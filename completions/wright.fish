# Fish completion for wright. Names of agents, tools and sessions come from the program itself.

function __wright_names
    wright $argv[1] --json 2>/dev/null | string match -rg '^ {0,4}"(?:name|id)": "?([^",]+)"?,?$'
end

# Whether the words so far begin with this command, for example: sessions show
function __wright_is
    set -l words (commandline -opc)
    test "$words[2..(math 1 + (count $argv))]" = "$argv"
end

# Whether they are this command and no other word of it yet.
function __wright_at
    test (count (commandline -opc)) -eq (math 1 + (count $argv)); and __wright_is $argv
end

complete -c wright -f
complete -c wright -s h -l help -d 'Show help'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -s V -l version -d 'Show the version'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a run -d 'Ask an agent'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a sessions -d 'See what was done'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a agents -d 'List the agents'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a tools -d 'List the tools'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a config -d 'Show the settings'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a doctor -d 'Check this machine'
complete -c wright -n 'test (count (commandline -opc)) -eq 1' -a help -d 'Explain a command'

# Settings
complete -c wright -n 'not __wright_is help' -s c -l config -r -F -d 'Configuration file'
for command in run sessions agents config doctor
    complete -c wright -n "__wright_is $command" -l database-path -r -F -d 'Where sessions are kept'
end
for command in run agents tools config doctor
    complete -c wright -n "__wright_is $command" -l base-path -x -a '(__fish_complete_directories)' -d 'The folder that tools may read'
end
for command in run agents config doctor
    complete -c wright -n "__wright_is $command" -l model -x -a offline -d 'offline, or vendor:name'
    complete -c wright -n "__wright_is $command" -l max-iterations -x -d 'How often the model may be asked'
end
for command in run sessions agents tools config doctor
    complete -c wright -n "__wright_is $command" -l json -d 'Print JSON'
end

# run
complete -c wright -n '__wright_at run' -a '(__wright_names agents)'
complete -c wright -n '__wright_is run' -s a -l agent -x -a '(__wright_names agents)' -d 'The agent'
complete -c wright -n '__wright_is run' -s p -l prompt -x -d 'The prompt'
complete -c wright -n '__wright_is run' -s q -l quiet -d 'No progress'

# sessions
complete -c wright -n '__wright_at sessions' -a 'show export rm list'
complete -c wright -n '__wright_is sessions' -l agent -x -a '(__wright_names agents)' -d 'Only of this agent'
complete -c wright -n '__wright_is sessions' -l status -x -a 'running completed failed waiting cancelled' -d 'Only of this status'
complete -c wright -n '__wright_is sessions' -l since -x -d 'Only newer ones'
complete -c wright -n '__wright_is sessions' -l search -x -d 'Only with this text'
complete -c wright -n '__wright_is sessions' -l limit -x -d 'At most this many'
for command in show export rm
    complete -c wright -n "__wright_is sessions $command" -a 'last (__wright_names sessions)'
end
complete -c wright -n '__wright_is sessions export' -l format -x -a 'json markdown' -d 'How it is written'
complete -c wright -n '__wright_is sessions export' -s o -l output -r -F -d 'Write there'
complete -c wright -n '__wright_is sessions rm' -s y -l yes -d 'Do not ask'

# tools
complete -c wright -n '__wright_at tools' -a 'show call list'
complete -c wright -n '__wright_at tools show; or __wright_at tools call' -a '(__wright_names tools)'

# config and help
complete -c wright -n '__wright_at config' -a 'path init'
complete -c wright -n '__wright_at help' -a 'run sessions agents tools config doctor'
