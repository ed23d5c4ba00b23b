import { pins } from './pins.contract.ts'
import { rollouts, stop } from './rollouts.contract.ts'
import { updates } from './updates/updates.contract.ts'

export default { pins, rollouts, stop, updates }
