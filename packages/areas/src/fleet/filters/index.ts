// The functions of filters that other areas may use.
export { previewOf } from './filter.queries.ts'
