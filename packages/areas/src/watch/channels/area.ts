import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { channelsExamples } from './channels.examples.ts'
import channels from './channels.ts'

export default area({
  name: 'alertChannels',
  contract,
  handlers: { channels },
  examples: { channels: channelsExamples },
})
