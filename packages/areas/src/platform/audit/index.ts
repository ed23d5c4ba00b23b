// The functions of the audit log that other areas may use.
export { recordAsSystem, type SystemRecord } from './system-records.ts'
