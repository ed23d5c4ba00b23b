// What other areas may use of filters.
export { previewOf } from './filter.queries.ts'
