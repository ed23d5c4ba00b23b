import { area } from '../../area.ts'
import contract from './area.contract.ts'
import pins from './pins.ts'
import { pinsExamples, rolloutsExamples, stopExamples, updatesExamples } from './rollouts.examples.ts'
import rollouts from './rollouts.ts'
import stop from './stop.ts'
import updates from './updates/updates.ts'

export default area({
  name: 'rollouts',
  contract,
  handlers: { pins, rollouts, stop, updates },
  examples: { pins: pinsExamples, rollouts: rolloutsExamples, stop: stopExamples, updates: updatesExamples },
})
