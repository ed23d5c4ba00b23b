import { collectSections } from '../../collect-sections.ts'
import { collectServices } from '../services.ts'
import { collectDisks, collectHardware, collectNetwork } from './hardware.ts'
import { MachineFiles } from './machine-files.ts'
import { collectSoftware } from './software.ts'
import { collectUsers } from './users.ts'

export const collectInventory = () =>
  collectSections({
    hardware: collectHardware,
    disks: collectDisks,
    network: collectNetwork,
    software: collectSoftware,
    services: collectServices,
    users: collectUsers,
    system: async () => ({ pendingRestart: await new MachineFiles().pendingRestart() }),
  })
