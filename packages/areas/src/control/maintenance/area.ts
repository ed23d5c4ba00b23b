import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { deviceMaintenanceExamples, occurrencesExamples, windowsExamples } from './maintenance.examples.ts'
import devices from './maintenance.ts'
import occurrences from './occurrences/occurrences.ts'
import windows from './windows.ts'

export default area({
  name: 'maintenance',
  contract,
  handlers: { windows, occurrences, devices },
  examples: { windows: windowsExamples, occurrences: occurrencesExamples, devices: deviceMaintenanceExamples },
})
