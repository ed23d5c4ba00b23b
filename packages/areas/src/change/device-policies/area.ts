import { area } from '../../area.ts'
import contract from './area.contract.ts'
import compliance from './compliance/compliance.ts'
import devices from './devices/devices.ts'
import exceptions from './exceptions/exceptions.ts'
import {
  complianceExamples,
  devicePoliciesExamples,
  exceptionsExamples,
  policiesExamples,
  remediationExamples,
} from './policies.examples.ts'
import policies from './policies.ts'
import remediation from './remediation/remediation.ts'

export default area({
  name: 'policies',
  contract,
  handlers: { compliance, devices, exceptions, policies, remediation },
  examples: {
    compliance: complianceExamples,
    devices: devicePoliciesExamples,
    exceptions: exceptionsExamples,
    policies: policiesExamples,
    remediation: remediationExamples,
  },
})
