"""TD3: memory."""
