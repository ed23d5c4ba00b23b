import { area } from '../../area.ts'
import contract from './area.contract.ts'
import course from './course/course.ts'
import { courseExamples, deploymentsExamples, devicesExamples, liveExamples } from './deployments.examples.ts'
import deployments from './deployments.ts'
import devices from './devices/devices.ts'
import live from './live/live-deployments.ts'

export default area({
  name: 'deployments',
  contract,
  handlers: { deployments, course, devices, live },
  examples: { deployments: deploymentsExamples, course: courseExamples, devices: devicesExamples, live: liveExamples },
})
