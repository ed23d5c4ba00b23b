// The functions of the audit log that other areas may use.
export { recordAsSystem } from './system-records.ts'
