import { useMemo } from 'react'
import { useFullList } from '../../../queries.ts'

/** All templates that a rule can use: those of one's own, then the built-in ones. */
export function useTemplates() {
  const own = useFullList((api) => api.alertTemplates.templates.list, {}, { staleMs: 30_000 }).data
  const builtIn = useFullList((api) => api.alertTemplates.templates.builtIn, {}, { staleMs: 30_000 }).data
  // Both together, so that a rule is not edited before its template is known.
  return useMemo(() => (own && builtIn ? [...own, ...builtIn] : []), [own, builtIn])
}
