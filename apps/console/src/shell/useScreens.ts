import { type Screen, screens } from '../paths.ts'
import { useCan, useMe } from '../session/session.tsx'

/** The screens that the signed-in person can use where it is now. */
export function useScreens(): readonly Screen[] {
  const { scope } = useMe()
  const can = useCan()
  const all: readonly Screen[] = screens
  return all.filter(({ needs, scopes }) => (!needs || can(needs)) && (!scopes || scopes.includes(scope)))
}
