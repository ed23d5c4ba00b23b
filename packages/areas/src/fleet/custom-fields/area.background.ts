import { background } from '../../background/background.ts'
import { scriptFields } from './script-fields.outcomes.ts'

export default background({ outcomes: [scriptFields] })
