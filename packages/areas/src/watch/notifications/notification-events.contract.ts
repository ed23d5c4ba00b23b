import { id } from '@muster/kit/contract.ts'
import { event, subject } from '../../platform/live-events/event.contract.ts'

const person = subject('userId', { userId: id() })

/** The notifications of a person changed. Carries nothing of them, because the partner's channel is shared. */
export const notificationsChanged = event('notifications.changed', person, {}, { newestOnly: true })
