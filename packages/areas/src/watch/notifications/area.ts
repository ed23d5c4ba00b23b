import { area } from '../../area.ts'
import contract from './area.contract.ts'
import deviceWatches from './device-watches.ts'
import { deviceWatchesExamples, notificationsExamples, preferencesExamples } from './notifications.examples.ts'
import notifications from './notifications.ts'
import preferences from './preferences.ts'

export default area({
  name: 'notifications',
  contract,
  handlers: { notifications, preferences, deviceWatches },
  examples: {
    notifications: notificationsExamples,
    preferences: preferencesExamples,
    deviceWatches: deviceWatchesExamples,
  },
})
