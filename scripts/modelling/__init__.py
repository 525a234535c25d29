"""The models of the ready scenes as code: scripts/ready_models makes the asset file of them."""
