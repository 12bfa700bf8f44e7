"""The commands, one file each: see `daglock.cli.command.Command`."""
