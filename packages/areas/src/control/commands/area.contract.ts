import { approvals } from './approvals/approvals.contract.ts'
import { autoUpdate } from './auto-update/auto-update.contract.ts'
import { commands } from './commands.contract.ts'
import { output } from './output/output.contract.ts'
import { stops } from './stops/stops.contract.ts'

export default { approvals, autoUpdate, commands, output, stops }
