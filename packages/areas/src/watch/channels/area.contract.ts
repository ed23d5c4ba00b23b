import { alertChannels } from './channels.contract.ts'

export default { channels: alertChannels }
