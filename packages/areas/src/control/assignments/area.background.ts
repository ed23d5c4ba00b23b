import { background } from '../../background/background.ts'
import { observations } from './observations.records.ts'
import { assignmentsAtArrival, assignmentsDue } from './send-assignments.ts'

export default background({ jobs: [assignmentsDue], records: [observations], arrivals: [assignmentsAtArrival] })
