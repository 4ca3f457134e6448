#!/usr/bin/env node
/** The command line `bot-bottle`. What a command needs is loaded once it is known which one it is. */
import { runCli } from './cli/run-cli.js';
import { cliDeps } from './wiring/cli/cli-deps.js';
import { allowReadersToLeave } from './wiring/cli/cli-io.js';
import { endWith } from './wiring/end-with.js';

allowReadersToLeave();
endWith(await runCli(cliDeps, process.argv.slice(2)));
