// What other areas may use of the audit log.
export { recordAsSystem } from './system-records.ts'
