import { exports } from './exports.contract.ts'
import { logs } from './logs.contract.ts'
import { reports } from './reports.contract.ts'

export default { exports, logs, reports }
