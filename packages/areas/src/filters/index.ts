// What other areas may use of filters.
export { conditionOf, previewOf } from './filter.queries.ts'
