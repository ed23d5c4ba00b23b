import { expect, test } from 'vitest'
import { eventGroup, eventText } from './eventWords.ts'

test('writes types of events and groups of them in words', () => {
  expect(['device.offline', 'alert_channel.failed', 'agent.silent', 'alert_channel.*', '*'].map(eventText)).toEqual([
    'Device offline',
    'Alert channel failed',
    'Agent stopped',
    'All alert channel events',
    'All events',
  ])
  expect(['alert_channel.failed', 'device.*', '*'].map(eventGroup)).toEqual(['Alert channel', 'Device', 'All'])
})
