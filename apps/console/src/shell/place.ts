import { useNavigate, useSearch } from '@tanstack/react-router'

/** The organization and site that the screens are limited to. All addresses below the shell have them. */
export interface Place {
  readonly org?: string | undefined
  readonly site?: string | undefined
}

export function usePlace(): Place {
  const { org, site } = useSearch({ strict: false })
  return { org, site }
}

/** Narrows the screens to another organization or site, or to none. */
export function useChoosePlace(): (place: Place) => void {
  const navigate = useNavigate()
  return ({ org, site }) =>
    // Filters of the screen belong to the place before.
    void navigate({ to: '.', search: { org, site } })
}
