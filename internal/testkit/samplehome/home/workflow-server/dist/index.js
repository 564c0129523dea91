// A server of the user's would be here. Nothing starts it.
