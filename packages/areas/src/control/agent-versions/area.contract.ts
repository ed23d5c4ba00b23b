import { distribution } from './distribution.contract.ts'
import { versions } from './versions.contract.ts'

export default { distribution, versions }
