import { course } from './course/course.contract.ts'
import { deployments } from './deployments.contract.ts'
import { devices } from './devices/devices.contract.ts'
import { live } from './live/live-deployments.contract.ts'

export default { deployments, course, devices, live }
