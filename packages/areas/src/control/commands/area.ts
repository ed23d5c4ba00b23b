import { area } from '../../area.ts'
import approvals from './approvals/approvals.ts'
import contract from './area.contract.ts'
import autoUpdate from './auto-update/auto-update.ts'
import {
  approvalsExamples,
  autoUpdateExamples,
  commandsExamples,
  outputExamples,
  stopsExamples,
} from './commands.examples.ts'
import commands from './commands.ts'
import output from './output/output.ts'
import stops from './stops/stops.ts'

export default area({
  name: 'devices',
  contract,
  handlers: { approvals, autoUpdate, commands, output, stops },
  examples: {
    approvals: approvalsExamples,
    autoUpdate: autoUpdateExamples,
    commands: commandsExamples,
    output: outputExamples,
    stops: stopsExamples,
  },
})
