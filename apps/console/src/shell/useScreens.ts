import { type Action, actions, type Screen, screens } from '../paths.ts'
import { useCan, useMe } from '../session/session.tsx'

type Limited = Pick<Screen, 'needs' | 'scopes'>

/** Tells what the signed-in person can use where it is now. */
function useOpen(): (limited: Limited) => boolean {
  const { scope } = useMe()
  const can = useCan()
  return ({ needs, scopes }) => (!needs || can(needs)) && (!scopes || scopes.includes(scope))
}

/** The screens that the signed-in person can use where it is now. */
export function useScreens(): readonly Screen[] {
  const all: readonly Screen[] = screens
  return all.filter(useOpen())
}

/** What the signed-in person can begin from anywhere. */
export function useActions(): readonly Action[] {
  const all: readonly Action[] = actions
  return all.filter(useOpen())
}
