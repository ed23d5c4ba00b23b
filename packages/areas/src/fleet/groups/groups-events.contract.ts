import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

const membership = { hostname: z.string(), groupId: z.string(), groupName: z.string() }

export const groupJoined = eventType('group.joined', 'device', membership)
export const groupLeft = eventType('group.left', 'device', membership)
