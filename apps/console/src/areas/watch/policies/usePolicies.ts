import { useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'

/** The policies of the place in the order in which they apply. */
export function usePolicies() {
  const { org } = usePlace()
  return useFullList((api) => api.alertPolicies.policies.list, org ? { orgId: org } : {})
}
