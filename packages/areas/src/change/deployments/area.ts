import { area } from '../../area.ts'
import contract from './area.contract.ts'
import course from './course/course.ts'
import { courseExamples, deploymentsExamples, devicesExamples } from './deployments.examples.ts'
import deployments from './deployments.ts'
import devices from './devices/devices.ts'

export default area({
  name: 'deployments',
  contract,
  handlers: { deployments, course, devices },
  examples: { deployments: deploymentsExamples, course: courseExamples, devices: devicesExamples },
})
