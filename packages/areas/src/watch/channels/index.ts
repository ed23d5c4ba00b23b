// The functions of alert channels that other areas may use.
export type { ChannelMessage } from './message.ts'
export { concernsPeople, sendToChannels } from './sending/send.ts'
export { setChannelUses } from './uses.ts'
