import { deviceWatches } from './device-watches.contract.ts'
import { notifications } from './notifications.contract.ts'
import { preferences } from './preferences.contract.ts'

export default { notifications, preferences, deviceWatches }
