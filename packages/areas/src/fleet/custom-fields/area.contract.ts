import { customFields } from './custom-fields.contract.ts'

export default { customFields }
