// What other areas may use of scripts.
export { audited, createScript } from './created-scripts.ts'
export { visibleExecutions } from './executions/executions.queries.ts'
export { changeableScript, moveScripts, readableScripts, scriptById } from './scripts.queries.ts'
export { insertTag, removeTag } from './stored-tags.ts'
export { addVersion, contentOf, judgeVersion, requireNewest } from './stored-versions.ts'
export { writeSystemScripts } from './system-library/written-library.ts'
export { withUses } from './uses/script-uses.ts'
