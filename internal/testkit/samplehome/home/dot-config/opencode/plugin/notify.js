export const Notify = async ({ $ }) => ({
  event: async ({ event }) => {
    if (event.type === "session.idle") await $`notify-send done`
  },
})
