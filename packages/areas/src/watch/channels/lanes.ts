import type { ChannelType } from './channels.contract.ts'

export const laneOf = (channelId: string): string => `channel:${channelId}`
export const channelOf = (lane: string): string => lane.slice(laneOf('').length)

/** How fast each service takes messages. */
const paces: Record<ChannelType, { readonly concurrency: number; readonly spacingMs: number }> = {
  email: { concurrency: 2, spacingMs: 0 },
  slack: { concurrency: 1, spacingMs: 1_000 },
  teams: { concurrency: 2, spacingMs: 250 },
  webhook: { concurrency: 4, spacingMs: 0 },
  pagerduty: { concurrency: 2, spacingMs: 500 },
  sms: { concurrency: 1, spacingMs: 200 },
}
const lastsMs = 3_600_000

interface Channel {
  readonly id: string
  readonly type: ChannelType
  readonly partnerId: string
  readonly orgId: string | null
}

export const laneFor = ({ id, type, partnerId, orgId }: Channel) => ({
  lane: laneOf(id),
  kind: 'channel',
  partnerId,
  orgId,
  lastsMs,
  ...paces[type],
})
