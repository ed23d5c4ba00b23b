import { compliance } from './compliance/compliance.contract.ts'
import { devicePolicies } from './devices/devices.contract.ts'
import { exceptions } from './exceptions/exceptions.contract.ts'
import { policies } from './policies.contract.ts'
import { remediation } from './remediation/remediation.contract.ts'

export default { compliance, devices: devicePolicies, exceptions, policies, remediation }
