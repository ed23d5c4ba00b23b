import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { exportsExamples, logsExamples, reportsExamples } from './audit.examples.ts'
import exports from './exports.ts'
import logs from './logs.ts'
import reports from './reports.ts'

export default area({
  name: 'audit',
  contract,
  handlers: { exports, logs, reports },
  examples: { exports: exportsExamples, logs: logsExamples, reports: reportsExamples },
})
